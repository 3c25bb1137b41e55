import type { Query } from '@octavo/db';
import { formerStatuses, selection } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Wanting } from './subscriber.ts';

const f = aliasedTable(formerStatuses, 'f');
const formerRow = selection({ subscription: f.subscription, seq: f.seq, status: f.status });

type Status = Wanting['status'] | NonNullable<Wanting['installed']>['status'];

/** What a subscription was, or its installation, when the event at a place of the feed was written. */
export type StatusAt = (to: Wanting, seq: number) => Status;

interface Former {
  subscription: string;
  seq: number;
  status: Status;
}

/** What subscriptions were up to places in the feed, as far as that tells of its events up to `last`. */
export const selectFormer = (subscriptions: SQL, last: SQL): Query<Former> =>
  formerRow.query(sql`
    SELECT ${formerRow} FROM (${subscriptions}) s CROSS JOIN former_statuses f ON f.subscription = s.id
    WHERE f.seq <= COALESCE((
      SELECT MIN(n.seq) FROM former_statuses n WHERE n.subscription = s.id AND n.seq >= ${last}), ${last})
    ORDER BY f.subscription, f.seq`);

/** What has no former status at a place, or after it, was then what it is now. */
export function statusesOf(former: Former[]): StatusAt {
  const bySubscription = Map.groupBy(former, ({ subscription }) => subscription);
  return ({ id, status, installed }, seq) =>
    bySubscription.get(id)?.find((each) => each.seq >= seq)?.status ?? installed?.status ?? status;
}
