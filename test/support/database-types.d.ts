import type * as workers from '@cloudflare/workers-types';

// Tests run on Node, whose type environment excludes the Workers globals. packages/db needs the D1 types.
declare global {
  type D1Database = workers.D1Database;
  type D1PreparedStatement = workers.D1PreparedStatement;
  type D1Result<Row = unknown> = workers.D1Result<Row>;
  type D1Meta = workers.D1Meta;
}
