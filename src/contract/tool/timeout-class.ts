export const TIMEOUT_CLASSES = ['interactive', 'standard', 'long_running', 'async'] as const;
export type TimeoutClass = (typeof TIMEOUT_CLASSES)[number];

/** Maximum duration of a call of each class. An asynchronous operation is bounded too: by one day. */
export const TIMEOUT_MS: Readonly<Record<TimeoutClass, number>> = {
  interactive: 500,
  standard: 5_000,
  long_running: 300_000,
  async: 86_400_000,
};
