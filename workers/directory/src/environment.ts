/** An installation behind the directory. It is the binding `CELL_EU` for the cell `eu`. */
type CellBindings = Record<`CELL_${string}`, Fetcher>;

export interface DirectoryEnvironment extends CellBindings {
  DB: D1Database;
  /** The names of the cells, with spaces between them. The first one receives requests that name nothing. */
  OCTAVO_CELLS: string;
  /** The token that authenticates the directory to the cells. */
  OCTAVO_DIRECTORY_KEY: string;
  OCTAVO_PUBLIC_URL: string;
  OCTAVO_SITES_URL?: string;
  OCTAVO_CLIENT_ADDRESS_HEADER?: string;
  /** The name of the deployed build, which the deployment sets. */
  OCTAVO_BUILD?: string;
}

export interface Cell {
  name: string;
  fetch(request: Request): Promise<Response>;
}

/** Returns all cells, in the order of the setting. */
export const listCells = (env: DirectoryEnvironment): Cell[] =>
  env.OCTAVO_CELLS.split(' ').map((name) => ({
    name,
    fetch: (request) => {
      const cell = env[`CELL_${name.toUpperCase()}`];
      if (cell === undefined) throw new Error(`The cell "${name}" has no binding.`);
      return cell.fetch(request);
    },
  }));
