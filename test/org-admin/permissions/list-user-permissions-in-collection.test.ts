import { testListingGrants } from './listing-grants.ts';

testListingGrants('collection', 'user');
