/** The structured form of an answer, which programs read and models do not. */
export function readStructured({
  _meta,
}: {
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}): Readonly<Record<string, unknown>> | undefined {
  return _meta?.['toolgate/structured'] as Readonly<Record<string, unknown>> | undefined;
}
