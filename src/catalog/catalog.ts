import { CatalogError } from '../contract/tool/tool-id.ts';
import type { Admission } from './admit.ts';
import { CatalogSnapshot } from './snapshot.ts';

export interface CatalogOptions {
  /** `fail` refuses a whole refresh that holds a refused tool; `report` loads the rest. */
  readonly onInvalid: 'report' | 'fail';
}

/** Holds the current snapshot. A refresh replaces it in one synchronous step, so no reader sees half of a change. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #admissions = new Map<string, Admission>();
  #snapshot = new CatalogSnapshot(0, []);

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  get snapshot(): CatalogSnapshot {
    return this.#snapshot;
  }

  replace(admission: Admission): CatalogSnapshot {
    const { namespace, findings } = admission.report;
    const refused = findings.find(({ kind }) => kind === 'refused');
    if (refused && this.#options.onInvalid === 'fail') {
      const { upstreamName, reason } = refused;
      throw new CatalogError(
        `Refresh of upstream ${namespace} failed, because its tool ${upstreamName} was refused: ${reason}`,
      );
    }
    this.#admissions.set(namespace, admission);
    this.#snapshot = new CatalogSnapshot(this.#snapshot.revision + 1, this.#admissions.values());
    return this.#snapshot;
  }
}
