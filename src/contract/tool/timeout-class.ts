export const TIMEOUT_CLASSES = ['interactive', 'standard', 'long_running', 'async'] as const;
export type TimeoutClass = (typeof TIMEOUT_CLASSES)[number];

/** The longest that a call of each class may take. An async operation is bounded too: by a day. */
export const TIMEOUT_MS: Readonly<Record<TimeoutClass, number>> = {
  interactive: 500,
  standard: 5_000,
  long_running: 300_000,
  async: 86_400_000,
};
