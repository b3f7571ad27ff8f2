// Loaded by whatever Node is at hand, before anything else: no imports, no syntax newer than Node 18.

/** The oldest Node that Toolgate runs on, as in package.json's engines. */
export const neededNode = '22.19';

export function isNewEnough(version) {
  const [major, minor] = numbersOf(version);
  const [neededMajor, neededMinor] = numbersOf(neededNode);
  return major === neededMajor ? minor >= neededMinor : major > neededMajor;
}

function numbersOf(version) {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}
