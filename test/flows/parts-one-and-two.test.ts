import { testPartsOneAndTwo } from './parts-one-and-two.ts';

testPartsOneAndTwo();
