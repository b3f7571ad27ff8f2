import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';

type Environment = Readonly<Record<string, string | undefined>>;

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
const NETWORK = ['NO_PROXY', 'DOCKER_HOST'];
const CERTIFICATES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
];
const REGISTRIES = [
  'NPM_CONFIG_REGISTRY',
  'npm_config_registry',
  'PIP_INDEX_URL',
  'UV_INDEX_URL',
  'UV_DEFAULT_INDEX',
];

/**
 * The variables that every child process inherits: where its home and its programs are, and how it reaches the network.
 * A server behind a proxy or a TLS inspection cannot start without the latter.
 */
export function inheritedEnvironment(env: Environment): Record<string, string> {
  const both = [...PROXIES, 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return pick(env, [...DEFAULT_INHERITED_ENV_VARS, ...both, ...NETWORK, ...CERTIFICATES]);
}

/** What a package runner needs besides: the addresses of its registries. They may contain credentials. */
export function registryEnvironment(env: Environment): Record<string, string> {
  return pick(env, REGISTRIES);
}

/** Whether the value of an inherited variable may be shown. A proxy or a registry may contain credentials. */
export function isPublicVariable(name: string): boolean {
  return PUBLIC.has(name);
}

const PUBLIC = new Set([...DEFAULT_INHERITED_ENV_VARS, ...NETWORK, 'no_proxy', ...CERTIFICATES]);

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    // Older shells export functions like this, which other shells would execute.
    if (value !== undefined && !value.startsWith('()')) picked[name] = value;
  }
  return picked;
}
