// Loaded first, by any installed Node: no imports, and no syntax newer than Node 18.

/** The oldest Node that Toolgate supports; equals `engines` in package.json. */
export const minimumNode = '22.19';

export function isNewEnough(version) {
  const [major, minor] = numbersOf(version);
  const [minimumMajor, minimumMinor] = numbersOf(minimumNode);
  return major === minimumMajor ? minor >= minimumMinor : major > minimumMajor;
}

function numbersOf(version) {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}
