import { testListingReach } from './listing-reach.ts';

testListingReach('collection');
