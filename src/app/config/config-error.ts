/** A config that cannot be used. It lists every problem at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly file: string | undefined;
  readonly problems: readonly string[];

  constructor(file: string | undefined, problems: readonly string[]) {
    super(`${file ?? 'the configuration'}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.file = file;
    this.problems = problems;
  }
}
