import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that writes the counts of a run to vitest's output file. Unlike the JSON reporter it also counts failures outside
 * a test: a file that does not load, a hook, an uncaught error.
 */
export default class CountingReporter {
  onInit(vitest) {
    this.file = vitest.config.outputFile;
  }

  onTestRunEnd(modules, uncaughtErrors) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (...wanted) => states.filter((state) => wanted.includes(state)).length;
    const counts = {
      passed: count('passed'),
      failed: count('failed') + modules.filter(failedOutsideTests).length + uncaughtErrors.length,
      skipped: count('skipped', 'pending'),
    };
    writeFileSync(this.file, JSON.stringify(counts));
  }
}

function failedOutsideTests(module) {
  return [module, ...module.children.allSuites()].some((part) => part.errors().length > 0);
}
