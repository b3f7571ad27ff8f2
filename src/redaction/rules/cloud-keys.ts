import { NOTHING, type RedactionRule, type Span } from '../rule.ts';
import { startsWord } from './named-secret/word-start.ts';
import { isDrawn, isPlaceholder } from './placeholder.ts';

const ACCESS_KEY_ID = /(?:AKIA|ASIA|ABIA|ACCA)([A-Z0-9]{16})(?![A-Za-z0-9])/y;
// As a table or a pair writes both: `AKIA…,secret`, `AKIA…:secret`, on the next line.
const SECRET_BESIDE = /(?:[\s,:;|"'/]|\\[nrt]){1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/y;
const isMixed = (body: string): boolean =>
  /\d/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body) && !isPlaceholder(body);

function beside(text: string, from: number): readonly Span[] {
  SECRET_BESIDE.lastIndex = from;
  const match = SECRET_BESIDE.exec(text);
  if (!match || !isMixed(match[1]!)) return NOTHING;
  return [{ start: SECRET_BESIDE.lastIndex - 40, end: SECRET_BESIDE.lastIndex, rule: 'aws-secret-key' }];
}

const awsAccessKeyId: RedactionRule = {
  name: 'aws-access-key-id',
  opens: ['akia', 'asia', 'abia', 'acca'],
  find({ text, at, free }) {
    if (at !== free && !startsWord(text, at, false)) return NOTHING;
    ACCESS_KEY_ID.lastIndex = at;
    const match = ACCESS_KEY_ID.exec(text);
    if (!match || !isDrawn(match[1]!)) return NOTHING;
    const end = at + match[0].length;
    return [{ start: at, end, rule: this.name }, ...beside(text, end)];
  },
};

/** Forty characters of base64 could be anything; the name before them says what they are. */
const AWS_SECRET = /secret[ _.-]?access[ _.-]?key[^\w\n]{1,12}?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/iy;

const awsSecretKey: RedactionRule = {
  name: 'aws-secret-key',
  opens: ['secret'],
  find({ text, at }) {
    AWS_SECRET.lastIndex = at;
    const match = AWS_SECRET.exec(text);
    if (!match || !isMixed(match[1]!)) return NOTHING;
    return [{ start: AWS_SECRET.lastIndex - 40, end: AWS_SECRET.lastIndex, rule: this.name }];
  },
};

const AZURE_ASSIGNED =
  /(?:AccountKey|SharedAccessKey|[?&;]sig)=((?:[A-Za-z0-9+/]|%2[BbFf]){40,100}(?:=|%3[Dd]){0,2})/y;
// The client secret of an application: three characters, a digit, `Q~`, the rest.
const AZURE_CLIENT_SECRET = /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/y;

const CLIENT_SECRET_OPENS = [...'0123456789'].map((digit) => `${digit}q~`);

const azureKey: RedactionRule = {
  name: 'azure-key',
  opens: ['accountkey=', 'sharedaccesskey=', '?sig=', '&sig=', ';sig=', ...CLIENT_SECRET_OPENS],
  find({ text, at, free }) {
    if (text[at + 2] === '~') return azureClientSecret(text, at - 3, free);
    AZURE_ASSIGNED.lastIndex = at;
    const match = AZURE_ASSIGNED.exec(text);
    if (!match || !isDrawn(match[1]!)) return NOTHING;
    const end = at + match[0].length;
    return [{ start: end - match[1]!.length, end, rule: this.name }];
  },
};

function azureClientSecret(text: string, at: number, free: number): readonly Span[] {
  if (at < free || (at !== free && !startsWord(text, at, true))) return NOTHING;
  AZURE_CLIENT_SECRET.lastIndex = at;
  const match = AZURE_CLIENT_SECRET.exec(text);
  return match && isDrawn(match[0])
    ? [{ start: at, end: at + match[0].length, rule: azureKey.name }]
    : NOTHING;
}

// AWS and Google as their fourth version signs, then as older ones and CDNs do.
const SIGNATURE =
  /(?:x-(?:amz|goog)-signature(?:=|%3D|\\{0,8}["']\s{0,4}[:=]\s{0,4}\\{0,8}["'])([0-9a-f]{64,1024})|[?&]signature=((?:[A-Za-z0-9+/_~-]|%2[BF]){24,1024}(?:=|%3D){0,2}))(?![A-Za-z0-9])/iy;

/** Whoever has the address may do what it was signed for; without its signature nobody may. */
const signedUrl: RedactionRule = {
  name: 'signed-url',
  opens: ['x-amz-signature', 'x-goog-signature', '?signature=', '&signature='],
  find({ text, at }) {
    SIGNATURE.lastIndex = at;
    const match = SIGNATURE.exec(text);
    const signature = match?.[1] ?? match?.[2];
    if (signature === undefined || !isDrawn(signature)) return NOTHING;
    const end = at + match![0].length;
    return [{ start: end - signature.length, end, rule: this.name }];
  },
};

export const CLOUD_KEYS: readonly RedactionRule[] = [awsAccessKeyId, awsSecretKey, azureKey, signedUrl];
