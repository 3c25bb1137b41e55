import { testEveryWrite } from './every-write.ts';

testEveryWrite();
