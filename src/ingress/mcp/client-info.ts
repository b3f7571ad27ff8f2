import { randomUUID } from 'node:crypto';
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { isJsonObject } from '../../base/json/json.ts';
import { plainLine } from '../../base/text/plain-text.ts';
import type { ClientInfo } from '../../contract/call/caller.ts';

const MAX_LENGTH = 64;
const SESSION_ID = /^[\da-f-]{36}\.([\w-]{1,256})$/;

/** The name and version that a client states in `clientInfo`; null for anything else. */
export function parseClientInfo(info: unknown): ClientInfo | null {
  if (!isJsonObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return null;
  return { name: plainLine(info.name, MAX_LENGTH), version: plainLine(info.version, MAX_LENGTH) };
}

/** Messages of the 2026 era carry the client info in `_meta`. */
export function readClientInfo(meta: Readonly<Record<string, unknown>> | undefined): ClientInfo | null {
  return parseClientInfo(meta?.[CLIENT_INFO_META_KEY]);
}

/**
 * A session id of the 2025 era. It contains the client's name, because only `initialize` carries it and no node stores
 * sessions.
 */
export function createSessionId(info: unknown): string {
  const client = parseClientInfo(info);
  const encoded = client && Buffer.from(JSON.stringify([client.name, client.version])).toString('base64url');
  return encoded && encoded.length <= 256 ? `${randomUUID()}.${encoded}` : randomUUID();
}

/** Every request of a client repeats its session id. */
const clients = new LRUCache<string, ClientInfo>({ max: 1_000 });

export function clientOfSession(sessionId: string | undefined): ClientInfo | null {
  if (sessionId === undefined) return null;
  const known = clients.get(sessionId);
  if (known) return known;
  const client = decodeClient(sessionId);
  if (client) clients.set(sessionId, client);
  return client;
}

function decodeClient(sessionId: string): ClientInfo | null {
  const encoded = SESSION_ID.exec(sessionId)?.[1];
  if (encoded === undefined) return null;
  try {
    const [name, version] = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as unknown[];
    return parseClientInfo({ name, version });
  } catch {
    return null;
  }
}
