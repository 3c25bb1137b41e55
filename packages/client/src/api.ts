import { type Client, createContractClient, type Options } from './client.ts';
import { contract } from './contract.ts';

/** A client with one method for each operation of the API. */
export type Api = Client<typeof contract>;

/** Creates a client for a server, such as `createClient({ url: 'https://octavo.example.com', token })`. */
export const createClient = (options: Options): Api => createContractClient(contract, options);
