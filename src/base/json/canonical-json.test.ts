import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiJsonStrings, byCodePoint, canonicalJson } from './canonical-json.ts';

function numberOfBits(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

describe('canonicalJson', () => {
  it.each([
    [null, 'null'],
    [true, 'true'],
    ['', '""'],
    [[], '[]'],
    [{}, '{}'],
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ B: 1, a: 2, A: 3 }, '{"A":3,"B":1,"a":2}'],
    [{ 10: 'ten', 9: 'nine', '': 'none' }, '{"":"none","10":"ten","9":"nine"}'],
    [{ z: { b: [{ d: 1, c: 2 }], a: null } }, '{"z":{"a":null,"b":[{"c":2,"d":1}]}}'],
    [[3, 1, 2], '[3,1,2]'],
    [JSON.parse('{"b":1,"__proto__":2}'), '{"__proto__":2,"b":1}'],
  ])('writes %j as %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it.each([
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[undefined, 1], '[null,1]'],
    // biome-ignore lint/suspicious/noSparseArray: this row tests a hole.
    [[, 1], '[null,1]'],
    [undefined, 'null'],
  ])('treats undefined as JSON.stringify does (%#)', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it('serializes the sample of RFC 8785, section 3.2.2', () => {
    const sample: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    expect(canonicalJson(sample)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts the sample of RFC 8785, section 3.2.3, by UTF-16 unit', () => {
    const sample: unknown = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`);
    expect(canonicalJson(sample).match(/(?<=:")[^"]+/g)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  // RFC 8785, appendix B.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number of bits %s as %s', (bits, expected) => {
    expect(canonicalJson(numberOfBits(bits))).toBe(expected);
  });

  it.each([
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [1e-7, '1e-7'],
    [1e-6, '0.000001'],
    [-0, '0'],
    [1.0, '1'],
  ])('writes the number %d as %s', (value, expected) => {
    expect(canonicalJson({ value })).toBe(`{"value":${expected}}`);
  });

  it('escapes only controls, quotes, backslashes and lone surrogates', () => {
    expect(canonicalJson('é日😀\u2028\u007f')).toBe('"é日😀\u2028\u007f"');
    expect(canonicalJson('"\\\b\f\n\r\t\u0000\u001f')).toBe(String.raw`"\"\\\b\f\n\r\t\u0000\u001f"`);
    expect(canonicalJson('\ud800')).toBe(String.raw`"\ud800"`);
    expect(canonicalJson('é')).not.toBe(canonicalJson('e\u0301'));
  });

  it('reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has one zero.
        const asJson: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(asJson);
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not depend on the order in which members were written', () => {
    const members = fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue()), {
      selector: ([key]) => key,
      maxLength: 12,
    });
    const shuffled = members.chain((entries) =>
      fc.tuple(
        fc.constant(entries),
        fc.shuffledSubarray(entries, { minLength: entries.length, maxLength: entries.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        const text = canonicalJson(Object.fromEntries(one));
        expect(canonicalJson(Object.fromEntries(other))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('writes different values as different texts', () => {
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
    expect(canonicalJson(['1'])).not.toBe(canonicalJson([1]));
    expect(canonicalJson([[1], 2])).not.toBe(canonicalJson([1, [2]]));
  });
});

describe('asciiJsonStrings', () => {
  it('writes the same as json.dumps of Python 3', () => {
    const strings = [
      '',
      'a"b\\c/d',
      '\u0000\u0007\b\t\n\u000b\f\r\u001b\u001f',
      '~\u007f\u0080\u00a0é',
      '\u2028\u2029\ufeff\uffff',
      '😀\u{10ffff}',
      '\ud800x\udc00',
      '日本',
    ];
    // json.dumps(strings, separators=(",", ":"))
    expect(asciiJsonStrings(strings)).toBe(
      String.raw`["","a\"b\\c/d","\u0000\u0007\b\t\n\u000b\f\r\u001b\u001f","~\u007f\u0080\u00a0\u00e9","\u2028\u2029\ufeff\uffff","\ud83d\ude00\udbff\udfff","\ud800x\udc00","\u65e5\u672c"]`,
    );
    expect(asciiJsonStrings([])).toBe('[]');
  });

  it('is printable ASCII that reads back as the strings', () => {
    const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyUnit })), (strings) => {
        const text = asciiJsonStrings(strings);
        expect(text).toMatch(/^[ -~]*$/);
        expect(JSON.parse(text)).toEqual(strings);
      }),
    );
  });
});

describe('byCodePoint', () => {
  it('sorts as Python does, where UTF-16 units sort differently', () => {
    const strings = ['～', '😀', 'a', 'ab', '', '\ue000', '\u{10000}', '\uffff'];
    // sorted(strings)
    const expected = ['', 'a', 'ab', '\ue000', '～', '\uffff', '\u{10000}', '😀'];
    expect(strings.toSorted(byCodePoint)).toEqual(expected);
    expect(strings.toSorted()).not.toEqual(expected);
  });

  it('sorts a lone surrogate before the code points above the surrogates', () => {
    expect(['\ue000', '\ud800', '\u{10000}'].toSorted(byCodePoint)).toEqual([
      '\ud800',
      '\ue000',
      '\u{10000}',
    ]);
  });

  it('sorts in the order of UTF-8 bytes', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(byCodePoint(a, a)).toBe(0);
      }),
    );
  });
});
