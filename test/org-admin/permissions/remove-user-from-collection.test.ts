import { testRemoving } from './removing.ts';

testRemoving('collection', 'user');
