/** What stands at a path, for a method. */
export interface Route<Target> {
  method: string;
  /** `:name` stands for one segment, a last `:name+` for one or more. */
  path: string;
  target: Target;
}

interface Compiled<Target> {
  target: Target;
  /** What each segment must be; undefined where it is a parameter. */
  segments: (string | undefined)[];
  names: string[];
  isOpen: boolean;
}

export interface Found<Target> {
  target: Target;
  /** What the `:name` parts of the path hold, as it is encoded. */
  params: Record<string, string>;
}

/** Finds what stands at a path: the first of several. A path may end with a slash. */
export class RouteTable<Target> {
  readonly #byMethod: Map<string, Compiled<Target>[]>;

  constructor(routes: readonly Route<Target>[]) {
    const methods = Map.groupBy(routes, ({ method }) => method);
    this.#byMethod = new Map([...methods].map(([method, all]) => [method, all.map(compiled)]));
  }

  find(method: string, pathname: string): Found<Target> | undefined {
    const segments = pathname.split('/');
    const route = this.#byMethod.get(method)?.find((each) => isAt(each, segments));
    return route === undefined ? undefined : { target: route.target, params: paramsOf(route, segments) };
  }
}

function compiled<Target>({ path, target }: Route<Target>): Compiled<Target> {
  const segments = path.split('/');
  return {
    target,
    segments: segments.map((segment) => (segment.startsWith(':') ? undefined : segment)),
    names: segments.map((segment) => segment.replace(/^:|\+$/g, '')),
    isOpen: path.endsWith('+'),
  };
}

function isAt({ segments, isOpen }: Compiled<unknown>, given: string[]): boolean {
  const { length } = segments;
  if (isOpen ? given.length < length : given.length !== length && !endsOneLater(given, length)) return false;
  for (let place = 0; place < length; place += 1) {
    const segment = segments[place];
    if (segment === undefined ? isNone(given, place, isOpen && place === length - 1) : segment !== given[place])
      return false;
  }
  return true;
}

/** What a slash at the end adds. */
const endsOneLater = (given: string[], length: number): boolean => given.length === length + 1 && given[length] === '';

const isNone = (given: string[], place: number, isLast: boolean): boolean =>
  given[place] === '' && !(isLast && given.length > place + 1);

function paramsOf({ segments, names, isOpen }: Compiled<unknown>, given: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    if (segments[place] !== undefined) continue;
    const isRest = isOpen && place === names.length - 1;
    params[name] = isRest ? given.slice(place).join('/') : (given[place] ?? '');
  }
  return params;
}
