/** Bytes as UTF-8 text, without a copy of the bytes; what is not UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
