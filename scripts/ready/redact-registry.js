/** Takes hosts out of npm's output: which registry a machine uses, and with what credentials, is nobody else's business. */
export function withoutAddresses(text) {
  const hosts = [...text.matchAll(/https?:\/\/(?:[^\s/@]*@)?([^\s/:]+)/g)].map(([, host]) => host);
  const urlsGone = text.replace(/https?:\/\/[^\s/]+/g, '(registry)');
  const hostsGone = [...new Set(hosts)].reduce((left, host) => left.replaceAll(host, '(registry)'), urlsGone);
  return hostsGone.replace(/\b(E[A-Z_]{4,}) [^\s]*[.:][^\s]*/g, '$1 (registry)');
}
