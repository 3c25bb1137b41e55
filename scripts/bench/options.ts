import { parseArgs } from 'node:util';
import { PlatformError } from '@octavo/platform';
import { type Peer, peers } from './adapters/peers.ts';
import { type OperationName, operationNames } from './operations.ts';

interface NamedPeer extends Peer {
  name: string;
  /** The URL of the server, without a trailing slash. */
  url: string;
  token: string;
}

export interface BenchOptions {
  sizes: number[];
  seconds: number;
  rounds: number;
  connections: number[];
  only: OperationName[];
  peers: NamedPeer[];
  countsSyncs: boolean;
  /** The file that the result is written to. */
  json: string | undefined;
}

type Command =
  | { does: 'measure'; options: BenchOptions }
  | { does: 'compare'; files: [string, string] }
  | { does: 'soak'; minutes: number }
  | { does: 'edge' }
  | { does: 'help'; usage: string };

const usage = `npm run bench -- takes
  --size <n>[,<n>...]         times 500 documents; 1,20 unless it is given
  --seconds <n>               for each measurement; 5
  --rounds <n>                3
  --connections <n>[,<n>...]  1,8,32
  --only <name>[,<name>...]   of ${operationNames.join(', ')}, or how they begin
  --vs <name>=<address>       a program that is up: ${Object.keys(peers).join(', ')}; may be given again; with one size
  --json <file>               where to write the result
  --strace                    to count by strace how often the disk is waited for
  --edge                      to count sequential round trips and measure times far from the database
  --compare <file> <file>     to compare two results
  --soak <minutes>            to load a server with reads, edits, imports and crons, and see that nothing breaks`;

const refuse = (sentence: string): never => {
  throw new PlatformError(`${sentence}\n\n${usage}`);
};

function readNumbers(name: string, text: string, isInteger: boolean): number[] {
  const numbers = text.split(',').map(Number);
  const isRight = (value: number) => value > 0 && value < 100_000 && (!isInteger || Number.isInteger(value));
  return numbers.every(isRight)
    ? numbers
    : refuse(`--${name} must be a ${isInteger ? 'whole ' : ''}number above 0, not "${text}".`);
}

const readNumber = (name: string, text: string, isInteger: boolean): number =>
  text.includes(',') ? refuse(`--${name} takes one number.`) : (readNumbers(name, text, isInteger)[0] ?? 0);

function readOperations(text: string | undefined): OperationName[] {
  if (text === undefined) return operationNames;
  const prefixes = text.split(',');
  const strange = prefixes.find((start) => start === '' || !operationNames.some((name) => name.startsWith(start)));
  if (strange !== undefined) refuse(`--only does not accept "${strange}".`);
  return operationNames.filter((name) => prefixes.some((start) => name.startsWith(start)));
}

function readPeer(text: string): NamedPeer {
  const [name = '', ...rest] = text.split('=');
  const url = rest.join('=').replace(/\/+$/, '');
  const peer = peers[name] ?? refuse(`--vs does not accept "${name}".`);
  if (!/^http:\/\/[^/]+$/.test(url)) refuse(`--vs ${name} needs an address such as http://127.0.0.1:3000.`);
  const token =
    process.env[peer.tokenVariable] || refuse(`The token for ${name} is missing. Set it in ${peer.tokenVariable}.`);
  return { ...peer, name, url, token };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        size: text,
        seconds: text,
        rounds: text,
        connections: text,
        only: text,
        vs: { type: 'string', multiple: true },
        json: text,
        strace: flag,
        compare: flag,
        edge: flag,
        soak: text,
        help: flag,
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Parses the arguments. @throws Error with the usage, if they are invalid */
export function readCommand(args: string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { does: 'help', usage };
  const [first, second, ...extra] = positionals;
  if (values.compare) {
    if (first === undefined || second === undefined || extra.length > 0) return refuse('--compare takes two files.');
    return { does: 'compare', files: [first, second] };
  }
  if (first !== undefined) return refuse(`Unknown option "${first}".`);
  if (values.edge) return { does: 'edge' };
  if (values.soak !== undefined) return { does: 'soak', minutes: readNumber('soak', values.soak, false) };
  const sizes = readNumbers('size', values.size ?? '1,20', false);
  const peers = (values.vs ?? []).map(readPeer);
  // Other products keep their content, so they would find the documents of one size while the next is measured.
  if (peers.length > 0 && sizes.length > 1)
    refuse('--vs requires a single --size, because other programs need a fresh installation for each size.');
  const options = {
    sizes,
    seconds: readNumber('seconds', values.seconds ?? '5', false),
    rounds: readNumber('rounds', values.rounds ?? '3', true),
    connections: readNumbers('connections', values.connections ?? '1,8,32', true),
    only: readOperations(values.only),
    peers,
    countsSyncs: values.strace === true,
    json: values.json,
  };
  return { does: 'measure', options };
}
