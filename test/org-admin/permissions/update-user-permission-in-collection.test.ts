import { testChanging } from './changing.ts';

testChanging('collection', 'user');
