import type { ToolContract } from '../contract/tool.ts';

/** Orders versions as people read them: numbers by value, a pre-release before its release, no version before any. */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [releaseA, preA] = split(a);
  const [releaseB, preB] = split(b);
  const release = compareParts(releaseA, releaseB);
  if (release !== 0) return release;
  if (preA === undefined || preB === undefined) return preA === preB ? 0 : preA === undefined ? 1 : -1;
  return compareParts(preA, preB);
}

function split(version: string): [release: string[], preRelease: string[] | undefined] {
  // A date such as 2024-05 has a hyphen too; only what follows a dotted release is a pre-release.
  const match = /^v?(\d+(?:\.\d+)+)-(.+)$/.exec(version);
  if (match) return [match[1]!.split('.'), match[2]!.split(/[.-]/)];
  return [version.replace(/^v(?=\d)/, '').split(/[.-]/), undefined];
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const left = a[i] ?? '0';
    const right = b[i] ?? '0';
    const bothNumbers = /^\d+$/.test(left) && /^\d+$/.test(right);
    const order = bothNumbers ? Number(left) - Number(right) : left < right ? -1 : left > right ? 1 : 0;
    if (order !== 0) return order;
  }
  return 0;
}

/** LATEST: the greatest version; of two without one, the smaller id, so that every machine picks the same. */
export function latestOf(versions: readonly ToolContract[]): ToolContract | undefined {
  return versions.toSorted((a, b) => compareVersions(b.version, a.version) || (a.id < b.id ? -1 : 1))[0];
}
