import { NO_SPANS, type RedactionRule, type Span } from '../rule.ts';
import { isWordStart } from './named-secret/word-start.ts';
import { isPlaceholder, isPlausibleSecret } from './placeholder.ts';

const ACCESS_KEY_ID = /(?:AKIA|ASIA|ABIA|ACCA)([A-Z0-9]{16})(?![A-Za-z0-9])/y;
// The secret after its key id, as in tables and pairs: `AKIA…,secret`, `AKIA…:secret`, or on the next line.
const ADJACENT_SECRET = /(?:[\s,:;|"'/]|\\[nrt]){1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/y;
const isMixedBase64 = (body: string): boolean =>
  /\d/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body) && !isPlaceholder(body);

function findAdjacentSecret(text: string, from: number): readonly Span[] {
  ADJACENT_SECRET.lastIndex = from;
  const match = ADJACENT_SECRET.exec(text);
  if (!match || !isMixedBase64(match[1]!)) return NO_SPANS;
  return [{ start: ADJACENT_SECRET.lastIndex - 40, end: ADJACENT_SECRET.lastIndex, rule: 'aws-secret-key' }];
}

const awsAccessKeyId: RedactionRule = {
  name: 'aws-access-key-id',
  keywords: ['akia', 'asia', 'abia', 'acca'],
  find({ text, at, minStart }) {
    if (at !== minStart && !isWordStart(text, at, false)) return NO_SPANS;
    ACCESS_KEY_ID.lastIndex = at;
    const match = ACCESS_KEY_ID.exec(text);
    if (!match || !isPlausibleSecret(match[1]!)) return NO_SPANS;
    const end = at + match[0].length;
    return [{ start: at, end, rule: this.name }, ...findAdjacentSecret(text, end)];
  },
};

/** Forty base64 characters have no form of their own; only the name before them identifies a key. */
const AWS_SECRET = /secret[ _.-]?access[ _.-]?key[^\w\n]{1,12}?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/iy;

const awsSecretKey: RedactionRule = {
  name: 'aws-secret-key',
  keywords: ['secret'],
  find({ text, at }) {
    AWS_SECRET.lastIndex = at;
    const match = AWS_SECRET.exec(text);
    if (!match || !isMixedBase64(match[1]!)) return NO_SPANS;
    return [{ start: AWS_SECRET.lastIndex - 40, end: AWS_SECRET.lastIndex, rule: this.name }];
  },
};

const AZURE_ASSIGNED =
  /(?:AccountKey|SharedAccessKey|[?&;]sig)=((?:[A-Za-z0-9+/]|%2[BbFf]){40,100}(?:=|%3[Dd]){0,2})/y;
// Client secret of an application: three characters, a digit, `Q~`, the rest.
const AZURE_CLIENT_SECRET = /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/y;

const CLIENT_SECRET_KEYWORDS = [...'0123456789'].map((digit) => `${digit}q~`);

const azureKey: RedactionRule = {
  name: 'azure-key',
  keywords: ['accountkey=', 'sharedaccesskey=', '?sig=', '&sig=', ';sig=', ...CLIENT_SECRET_KEYWORDS],
  find({ text, at, minStart }) {
    if (text[at + 2] === '~') return findAzureClientSecret(text, at - 3, minStart);
    AZURE_ASSIGNED.lastIndex = at;
    const match = AZURE_ASSIGNED.exec(text);
    if (!match || !isPlausibleSecret(match[1]!)) return NO_SPANS;
    const end = at + match[0].length;
    return [{ start: end - match[1]!.length, end, rule: this.name }];
  },
};

function findAzureClientSecret(text: string, at: number, minStart: number): readonly Span[] {
  if (at < minStart || (at !== minStart && !isWordStart(text, at, true))) return NO_SPANS;
  AZURE_CLIENT_SECRET.lastIndex = at;
  const match = AZURE_CLIENT_SECRET.exec(text);
  return match && isPlausibleSecret(match[0])
    ? [{ start: at, end: at + match[0].length, rule: azureKey.name }]
    : NO_SPANS;
}

// Signatures of AWS and Google, version 4, then those of older versions and CDNs.
const SIGNATURE =
  /(?:x-(?:amz|goog)-signature(?:=|%3D|\\{0,8}["']\s{0,4}[:=]\s{0,4}\\{0,8}["'])([0-9a-f]{64,1024})|[?&]signature=((?:[A-Za-z0-9+/_~-]|%2[BF]){24,1024}(?:=|%3D){0,2}))(?![A-Za-z0-9])/iy;

/** The signed URL alone authorizes its request; without the signature it does not. */
const signedUrl: RedactionRule = {
  name: 'signed-url',
  keywords: ['x-amz-signature', 'x-goog-signature', '?signature=', '&signature='],
  find({ text, at }) {
    SIGNATURE.lastIndex = at;
    const match = SIGNATURE.exec(text);
    const signature = match?.[1] ?? match?.[2];
    if (signature === undefined || !isPlausibleSecret(signature)) return NO_SPANS;
    const end = at + match![0].length;
    return [{ start: end - signature.length, end, rule: this.name }];
  },
};

export const CLOUD_KEYS: readonly RedactionRule[] = [awsAccessKeyId, awsSecretKey, azureKey, signedUrl];
