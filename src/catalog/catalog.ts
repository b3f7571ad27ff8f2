import { CatalogError } from '../contract/tool/tool-id.ts';
import type { Admission } from './admit.ts';
import type { Finding } from './report.ts';
import { CatalogSnapshot } from './snapshot.ts';

export interface CatalogOptions {
  /** `fail` refuses a whole refresh that holds a refused tool; `report` loads the rest. */
  readonly onInvalid: 'report' | 'fail';
}

/** A refresh that was refused as a whole. */
export interface FailedRefresh {
  readonly since: string;
  readonly reason: string;
}

/** Holds the current snapshot. A refresh replaces it in one synchronous step, so no reader sees half of a change. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #admissions = new Map<string, Admission>();
  readonly #failures = new Map<string, FailedRefresh>();
  #snapshot = new CatalogSnapshot(0, []);

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  get snapshot(): CatalogSnapshot {
    return this.#snapshot;
  }

  /** The last refresh of an upstream, where it was refused; the tools of the refresh before it stay. */
  failureOf(namespace: string): FailedRefresh | undefined {
    return this.#failures.get(namespace);
  }

  replace(admission: Admission): CatalogSnapshot {
    const { namespace, findings } = admission.report;
    const refused = findings.filter(({ kind }) => kind === 'refused');
    if (refused.length > 0 && this.#options.onInvalid === 'fail') {
      const [{ upstreamName, reason }] = refused as [Finding];
      const others = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
      const failure = `its tool ${upstreamName} was refused: ${reason}${others}`;
      this.#failures.set(namespace, { since: new Date().toISOString(), reason: failure });
      throw new CatalogError(`Refresh of upstream ${namespace} failed, because ${failure}`);
    }
    this.#failures.delete(namespace);
    this.#admissions.set(namespace, admission);
    this.#snapshot = new CatalogSnapshot(this.#snapshot.revision + 1, this.#admissions.values());
    return this.#snapshot;
  }
}
