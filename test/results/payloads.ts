/** Five generated results of fixed sizes: an acknowledgement, a post, a ticket, a log, a rowset. */

export interface Entry {
  readonly id: number;
  readonly at: string;
  readonly region: string;
  readonly customer: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
}

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly request: string;
  readonly text: string;
}

const REGIONS = ['emea', 'apac', 'amer', 'latam'];
const STATUSES = ['paid', 'paid', 'open', 'paid', 'failed', 'paid', 'refunded'];
const CURRENCIES = ['EUR', 'USD', 'JPY'];
const ROUTES = ['GET /v1/orders', 'POST /v1/payments', 'GET /v1/customers', 'PUT /v1/carts'];
const FAILURES = [
  'payment gateway timeout after 3000 ms',
  'connection refused by inventory-db',
  'invalid signature on webhook',
];

/** A reproducible sequence of pseudo-random numbers (Park and Miller). */
function* randomNumbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state;
  }
}

function createRandom(seed: number): (below: number) => number {
  const numbers = randomNumbers(seed);
  return (below) => numbers.next().value! % below;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Lines of a service's log, a few seconds apart. */
export function logLines(count: number): LogLine[] {
  const random = createRandom(7);
  let second = 12 * 3_600;
  return Array.from({ length: count }, (_, index) => {
    second += index === 0 ? 0 : 1 + random(7);
    const time = `2026-03-01T${two(Math.floor(second / 3_600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}Z`;
    const request = `r-${(4_096 + index * 37).toString(16)}`;
    const choice = random(20);
    const [level, message] =
      choice < 2
        ? ['ERROR', FAILURES[random(FAILURES.length)]!]
        : choice < 5
          ? ['WARN', `slow query took ${800 + random(900)} ms`]
          : ['INFO', `${ROUTES[random(ROUTES.length)]} 200 in ${5 + random(90)} ms`];
    return { time, level, request, text: `${time} ${level} checkout request=${request} ${message}` };
  });
}

export function entries(count: number): Entry[] {
  const random = createRandom(11);
  return Array.from({ length: count }, (_, index) => ({
    id: 5_000 + index,
    at: `2026-02-${two(1 + Math.floor((index * 28) / count))}`,
    region: REGIONS[random(REGIONS.length)]!,
    customer: `cust-${random(60)}`,
    status: STATUSES[random(STATUSES.length)]!,
    amount: (100 + random(90_000)) / 100,
    currency: CURRENCIES[random(CURRENCIES.length)]!,
  }));
}

const LOG_LENGTH = 14_206;
const ROWSET_LENGTH = 16_507;
const CLOSING = '2026-03-01T12:15:00Z INFO checkout shutdown complete';
const LOG_LINES = 179;
const ROWS = 141;

export const LOG: readonly LogLine[] = logLines(LOG_LINES);
export const ROWSET: readonly Entry[] = entries(ROWS);

function log(): string {
  const lines = LOG.map(({ text }) => text).join('\n');
  return `${lines}\n${CLOSING.padEnd(LOG_LENGTH - lines.length - 1, '.')}`;
}

function rowset(): string {
  return `${JSON.stringify(ROWSET)
    .slice(0, -1)
    .padEnd(ROWSET_LENGTH - 1)}]`;
}

const TICKET = {
  id: 'TCK-4821',
  title: 'Checkout fails for carts with more than fifty items',
  state: 'open',
  priority: 'high',
  assignee: 'dana',
  labels: ['checkout', 'regression'],
  created: '2026-02-27T09:14:00Z',
  comments: 7,
  votes: 12,
  sla: 'gold-24',
};

export const PAYLOADS: Readonly<Record<'acknowledgement' | 'post' | 'ticket' | 'log' | 'rowset', string>> = {
  acknowledgement: '{"ok":true,"id":"msg_81f","seq":4}',
  post: 'Release 2.4 is out: faster search, fewer tokens and a fix for very long logs.',
  ticket: JSON.stringify(TICKET),
  log: log(),
  rowset: rowset(),
};
