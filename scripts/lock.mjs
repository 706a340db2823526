/** Finds the packages that package-lock.json names without an entry of their own. */

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [dev]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {{ packages: Record<string, LockedPackage> }} Lock */

/** @typedef {{ path: string, version: string, dev: boolean }} MissingPackage */

/**
 * Optional packages that a locked package requires and that have no entry of their own.
 * @param {Lock} lock
 * @returns {MissingPackage[]}
 */
export function missingPackages({ packages }) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev = false }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !placesOf(path, name).some((place) => place in packages))
      .map(([name, version]) => ({ path: `node_modules/${name}`, version, dev })),
  );
}

/**
 * Where Node would look for a package that another one asks for.
 * @param {string} path the asking package, such as node_modules/a/node_modules/b
 * @param {string} name
 * @returns {string[]}
 */
function placesOf(path, name) {
  const places = [`node_modules/${name}`];
  for (let at = path.indexOf('node_modules/', 1); at !== -1; at = path.indexOf('node_modules/', at + 1)) {
    places.push(`${path.slice(0, at)}node_modules/${name}`);
  }
  return path === '' ? places : [...places, `${path}/node_modules/${name}`];
}
