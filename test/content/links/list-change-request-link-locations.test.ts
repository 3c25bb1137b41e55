import { testLocations } from './locations.ts';

testLocations(true);
