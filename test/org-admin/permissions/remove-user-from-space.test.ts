import { testRemoving } from './removing.ts';

testRemoving('space', 'user');
