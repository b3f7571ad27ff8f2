/** Removes registry hosts and credentials from npm's output, because they are private to the machine. */
export function redactRegistry(text) {
  const hosts = [...text.matchAll(/https?:\/\/(?:[^\s/@]*@)?([^\s/:]+)/g)].map(([, host]) => host);
  const withoutUrls = text.replace(/https?:\/\/[^\s/]+/g, '(registry)');
  const withoutHosts = [...new Set(hosts)].reduce(
    (rest, host) => rest.replaceAll(host, '(registry)'),
    withoutUrls,
  );
  return withoutHosts.replace(/\b(E[A-Z_]{4,}) [^\s]*[.:][^\s]*/g, '$1 (registry)');
}
