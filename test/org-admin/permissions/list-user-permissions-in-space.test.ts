import { testListingGrants } from './listing-grants.ts';

testListingGrants('space', 'user');
