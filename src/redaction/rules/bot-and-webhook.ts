import { NOTHING, type RedactionRule } from '../rule.ts';
import { startsWord } from './named-secret/word-start.ts';
import { isDrawn } from './placeholder.ts';

const TELEGRAM_ID = /(?<!\d)\d{8,10}$/;
const TELEGRAM_SECRET = /:(AA[\w-]{32,33})(?![\w-])/y;

/** `123456789:AA…`: the colon is what is rare in it. */
const telegramToken: RedactionRule = {
  name: 'telegram-token',
  opens: [':aa'],
  find({ text, at, free }) {
    TELEGRAM_SECRET.lastIndex = at;
    const match = TELEGRAM_SECRET.exec(text);
    const id = match && TELEGRAM_ID.exec(text.slice(Math.max(free, at - 11), at))?.[0];
    if (!id || !isDrawn(match[1]!)) return NOTHING;
    const start = at - id.length;
    // In addresses it stands behind `/bot`.
    const isStart = start === free || startsWord(text, start, true) || text.startsWith('bot', start - 3);
    return isStart ? [{ start, end: at + match[0].length, rule: this.name }] : NOTHING;
  },
};

const HOOK =
  /(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/|webhook\.office\.com\/webhookb2\/|hooks\.zapier\.com\/hooks\/catch\/|chat\.googleapis\.com\/v1\/spaces\/)([\w@%./?=&+-]{12,400})/iy;

/** Whoever has the address may post. The host stays, so that a reader knows what was there. */
const webhookUrl: RedactionRule = {
  name: 'webhook-url',
  opens: [
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
    if (!match) return NOTHING;
    const path = match[1]!.replace(/[.?]+$/, '');
    if (!isDrawn(path) || !/\d/.test(path)) return NOTHING;
    const start = at + match[0].length - match[1]!.length;
    return [{ start, end: start + path.length, rule: this.name }];
  },
};

const TERRAFORM_SECRET = /\.atlasv1\.[\w=-]{60,70}(?![\w-])/y;

const terraformToken: RedactionRule = {
  name: 'terraform-token',
  opens: ['.atlasv1'],
  find({ text, at, free }) {
    TERRAFORM_SECRET.lastIndex = at;
    const match = TERRAFORM_SECRET.exec(text);
    const start = at - 14;
    if (!match || start < free || !/^[A-Za-z0-9]{14}$/.test(text.slice(start, at))) return NOTHING;
    if (start !== free && !startsWord(text, start, true)) return NOTHING;
    return [{ start, end: at + match[0].length, rule: this.name }];
  },
};

// Base64 of the digits of an id, a time, a signature. Between two groups of three digits base64 has letters that meet
// nowhere else: the fourth to the sixth.
const DISCORD = /[MNO][DTjz][AEIMQUYcgk][0-5w-z][MNO][DTjz][\w-]{16,24}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w-])/y;
const DISCORD_OPENS = [...'012345wxyz'].flatMap((fourth) =>
  [...'mno'].flatMap((fifth) => [...'dtjz'].map((sixth) => fourth + fifth + sixth)),
);

const discordToken: RedactionRule = {
  name: 'discord-token',
  opens: DISCORD_OPENS,
  find({ text, at, free }) {
    const start = at - 3;
    DISCORD.lastIndex = Math.max(0, start);
    if (start < free || !DISCORD.test(text) || (start !== free && !startsWord(text, start, true)))
      return NOTHING;
    return [{ start, end: DISCORD.lastIndex, rule: this.name }];
  },
};

export const BOTS_AND_WEBHOOKS: readonly RedactionRule[] = [
  telegramToken,
  discordToken,
  webhookUrl,
  terraformToken,
];
