import type { ToolContract } from '../contract/tool/tool.ts';

/**
 * Compares versions: numbers by value and before words (Semantic Versioning, section 11), a pre-release before its
 * release, no version before any version.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [releaseA, preA] = split(a);
  const [releaseB, preB] = split(b);
  // 1.0 and 1.0.0 are one release; alpha and alpha.0 are not one pre-release.
  const release = compareParts(releaseA, releaseB, '0');
  if (release !== 0) return release;
  if (preA === undefined || preB === undefined) return preA === preB ? 0 : preA === undefined ? 1 : -1;
  return compareParts(preA, preB, '');
}

function split(version: string): [release: string[], preRelease: string[] | undefined] {
  // A date such as 2024-05 has a hyphen too, so only a suffix of a dotted release is a pre-release.
  const match = /^v?(\d+(?:\.\d+)+)-(.+)$/.exec(version);
  if (match) return [match[1]!.split('.'), match[2]!.split(/[.-]/)];
  return [version.replace(/^v(?=\d)/, '').split(/[.-]/), undefined];
}

function compareParts(a: readonly string[], b: readonly string[], missing: string): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = comparePart(a[i] ?? missing, b[i] ?? missing);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  const [kindA, kindB] = [kindOf(a), kindOf(b)];
  if (kindA !== kindB) return kindA - kindB;
  // Numbers may exceed the safe integers: compare by length without leading zeros, then as text.
  const [left, right] = kindA === NUMBER ? [withoutLeadingZeros(a), withoutLeadingZeros(b)] : [a, b];
  if (kindA === NUMBER && left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

const EMPTY = 0;
const NUMBER = 1;
const WORD = 2;

function kindOf(part: string): number {
  return part === '' ? EMPTY : /^\d+$/.test(part) ? NUMBER : WORD;
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+/, '');
}

/** LATEST: the greatest version; among equal ones the smallest id, so that every machine picks the same. */
export function latestOf(versions: readonly ToolContract[]): ToolContract | undefined {
  return versions.toSorted((a, b) => compareVersions(b.version, a.version) || (a.id < b.id ? -1 : 1))[0];
}
