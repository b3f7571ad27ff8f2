/** The media type without its parameters (RFC 9110, section 8.3.1); undefined where the value is no media type. */
export function mediaTypeNamed(claimed: unknown): string | undefined {
  if (typeof claimed !== 'string') return undefined;
  return /^([a-z0-9][\w.+-]{0,63}\/[a-z0-9][\w.+-]{0,63})\s*(?:;|$)/i.exec(claimed)?.[1]?.toLowerCase();
}

export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /[/+](json|x-ndjson|xml|yaml|javascript|toml)$/.test(mediaType);
}
