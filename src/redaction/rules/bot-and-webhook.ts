import { NO_SPANS, type RedactionRule } from '../rule.ts';
import { NAMED_SECRET } from './named-secret/named-secret.ts';
import { isWordStart } from './named-secret/word-start.ts';
import { isPlausibleSecret } from './placeholder.ts';

const TELEGRAM_ID = /(?<!\d)\d{8,10}$/;
const TELEGRAM_SECRET = /(?::|%3A)(AA[\w-]{32,33})(?![\w-])/y;

/** `123456789:AA…`. The keyword is the colon with the start of the secret, because digits are frequent in texts. */
const telegramToken: RedactionRule = {
  name: 'telegram-token',
  keywords: [':aa', '%3aaa'],
  find({ text, at, minStart }) {
    TELEGRAM_SECRET.lastIndex = at;
    const match = TELEGRAM_SECRET.exec(text);
    const id = match && TELEGRAM_ID.exec(text.slice(Math.max(minStart, at - 11), at))?.[0];
    if (!id || !isPlausibleSecret(match[1]!)) return NO_SPANS;
    const start = at - id.length;
    // In a URL `/bot` precedes the token.
    const isStart = start === minStart || isWordStart(text, start, true) || text.startsWith('bot', start - 3);
    return isStart ? [{ start, end: at + match[0].length, rule: this.name }] : NO_SPANS;
  },
};

const HOOK =
  /(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/|webhook\.office\.com\/webhookb2\/|hooks\.zapier\.com\/hooks\/catch\/|chat\.googleapis\.com\/v1\/spaces\/)([\w@%./?=&+-]{12,400})/iy;

/** The URL alone authorizes a post. The host stays, so that a reader can recognize the service. */
const webhookUrl: RedactionRule = {
  name: 'webhook-url',
  keywords: [
    'hooks.slack',
    'hooks.zapier',
    'discord.com/api',
    'discordapp.com/api',
    'webhook.office',
    'chat.googleapis',
  ],
  find({ text, at }) {
    HOOK.lastIndex = at;
    const match = HOOK.exec(text);
    if (!match) return NO_SPANS;
    const path = match[1]!.replace(/[.?]+$/, '');
    if (!isPlausibleSecret(path) || !/\d/.test(path)) return NO_SPANS;
    const start = at + match[0].length - match[1]!.length;
    return [{ start, end: start + path.length, rule: this.name }];
  },
};

const TERRAFORM_SECRET = /\.atlasv1\.[\w=-]{60,70}(?![\w-])/y;

const terraformToken: RedactionRule = {
  name: 'terraform-token',
  keywords: ['.atlasv1'],
  find({ text, at, minStart }) {
    TERRAFORM_SECRET.lastIndex = at;
    const match = TERRAFORM_SECRET.exec(text);
    const start = at - 14;
    if (!match || start < minStart || !/^[A-Za-z0-9]{14}$/.test(text.slice(start, at))) return NO_SPANS;
    if (start !== minStart && !isWordStart(text, start, true)) return NO_SPANS;
    return [{ start, end: at + match[0].length, rule: this.name }];
  },
};

const TWILIO_PAIR =
  /AC[0-9a-f]{32}(?:\\{0,8}["'][ \t]{0,4},\s{0,16}\\{0,8}["']|:)(?<secret>[0-9a-f]{32})(?![0-9A-Za-z])/dy;

/** The token of an account, which has no form of its own, after the id of the account. */
const twilioToken: RedactionRule = {
  name: NAMED_SECRET,
  isContextual: true,
  keywords: [...'0123456789abcdef'].map((digit) => `ac${digit}`),
  keywordLookahead: '[0-9a-f]{31}["\':\\\\]',
  find({ text, at }) {
    TWILIO_PAIR.lastIndex = at;
    const [start, end] = TWILIO_PAIR.exec(text)?.indices?.groups?.secret ?? [0, 0];
    return end > 0 ? [{ start, end, rule: this.name }] : NO_SPANS;
  },
};

const DATA_CENTER = /-us\d{1,2}(?![\w-])/y;

/** 32 hexadecimal digits and a data center. The keyword is the end, because a hash looks like the rest. */
const mailchimpKey: RedactionRule = {
  name: 'mailchimp-key',
  keywords: [...'123456789'].map((digit) => `-us${digit}`),
  find({ text, at, minStart }) {
    DATA_CENTER.lastIndex = at;
    const start = at - 32;
    if (start < minStart || !DATA_CENTER.test(text) || !/^[0-9a-f]{32}$/.test(text.slice(start, at)))
      return NO_SPANS;
    if (start !== minStart && !isWordStart(text, start, true)) return NO_SPANS;
    return [{ start, end: DATA_CENTER.lastIndex, rule: this.name }];
  },
};

// Base64 of the digits of an id, then a time and a signature. Base64 encodes three digits as four characters, so the
// fourth to the sixth character combine in ways that are rare in other text: they are the keywords.
const DISCORD = /[MNO][DTjz][AEIMQUYcgk][0-5w-z][MNO][DTjz][\w-]{16,24}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w-])/y;
const DISCORD_KEYWORDS = [...'012345wxyz'].flatMap((fourth) =>
  [...'mno'].flatMap((fifth) => [...'dtjz'].map((sixth) => fourth + fifth + sixth)),
);

const discordToken: RedactionRule = {
  name: 'discord-token',
  keywords: DISCORD_KEYWORDS,
  find({ text, at, minStart }) {
    const start = at - 3;
    DISCORD.lastIndex = Math.max(0, start);
    if (start < minStart || !DISCORD.test(text) || (start !== minStart && !isWordStart(text, start, true)))
      return NO_SPANS;
    return [{ start, end: DISCORD.lastIndex, rule: this.name }];
  },
};

export const BOTS_AND_WEBHOOKS: readonly RedactionRule[] = [
  telegramToken,
  discordToken,
  webhookUrl,
  terraformToken,
  twilioToken,
  mailchimpKey,
];
