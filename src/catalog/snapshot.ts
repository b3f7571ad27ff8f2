import type { ToolContract } from '../contract/tool/tool.ts';
import type { Admission } from './admit.ts';
import type { RefreshReport } from './report.ts';
import { latestOf } from './versions.ts';

/** What a catalog holds, by kind. Ids of two kinds may be equal: an entry is addressed by both. */
export interface CatalogEntries {
  readonly tool: ToolContract;
}

export type EntryKind = keyof CatalogEntries;

/**
 * The catalog at one moment, immutable. A call uses the snapshot that it started with until it ends, and data derived
 * from a snapshot (an index, a tree) has the same lifetime.
 */
export class CatalogSnapshot {
  readonly revision: number;
  /** Sorted by id. */
  readonly contracts: readonly ToolContract[];
  readonly reports: readonly RefreshReport[];
  readonly #byAddress = new Map<string, CatalogEntries[EntryKind]>();
  readonly #byName = new Map<string, ToolContract[]>();

  constructor(revision: number, admissions: Iterable<Admission>) {
    this.revision = revision;
    const all = [...admissions];
    this.reports = all.map(({ report }) => report).sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
    this.contracts = all.flatMap(({ contracts }) => contracts).sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const contract of this.contracts) {
      this.#byAddress.set(addressOf(contract), contract);
      const key = `${contract.namespace}/${contract.name}`;
      const versions = this.#byName.get(key);
      if (versions) versions.push(contract);
      else this.#byName.set(key, [contract]);
    }
  }

  get<Kind extends EntryKind>(kind: Kind, id: string): CatalogEntries[Kind] | undefined {
    return this.#byAddress.get(addressOf({ kind, id }));
  }

  /** All versions of the tool with this name. */
  versions(namespace: string, name: string): readonly ToolContract[] {
    return this.#byName.get(`${namespace}/${name}`) ?? [];
  }

  /** A canonical id, or `namespace:name` or `/namespace/name` for the version that LATEST resolves to. */
  resolve<Kind extends EntryKind>(kind: Kind, reference: string): CatalogEntries[Kind] | undefined {
    const [, namespace, name] = PATH.exec(reference) ?? NAMESPACE_AND_NAME.exec(reference) ?? [];
    return namespace && name ? latestOf(this.versions(namespace, name)) : this.get(kind, reference);
  }

  /** Why an offered tool was refused, where its id is known. Tools that callers may not see are left out. */
  refusal(id: string): string | undefined {
    for (const { findings } of this.reports) {
      for (const { kind, toolId, visibility, code, reason } of findings) {
        const isSchemaRefused = kind === 'refused' && code === 'SCHEMA_INVALID';
        if (isSchemaRefused && toolId === id && visibility === 'external') return reason;
      }
    }
    return undefined;
  }
}

const PATH = /^\/([^/]+)\/(.+)$/s;
/** An id is never of this form: it has a version or a hash. */
const NAMESPACE_AND_NAME = /^([^:/]+):([^:@#]+)$/;

function addressOf({ kind, id }: { readonly kind: EntryKind; readonly id: string }): string {
  return `${kind} ${id}`;
}
