import type { AddressRow } from './import-record.ts';

/** An address that nothing is known of yet, but what is given. */
export const newAddress = (
  id: string,
  row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>,
): AddressRow => ({
  import: id,
  url: row.address,
  rank: row.kind === 'page' ? 1 : 2,
  ordinal: 0,
  depth: 0,
  status: 'pending',
  attempts: 0,
  node: null,
  title: null,
  sameAs: null,
  error: null,
  parent: '',
  position: '',
  slug: '',
  ...row,
});
