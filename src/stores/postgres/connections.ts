import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';

/** The connections and table names that the stores of one engine share. */
export interface PostgresConnections {
  table(name: string): string;
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<Row[]>;
  transaction(work: (client: PoolClient) => Promise<void>): Promise<void>;
}
