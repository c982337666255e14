interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  /** A folder of this repository. */
  readonly link?: boolean;
  /** It lies in the tarball of another package, whose integrity covers it. */
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  /** The platforms that it is for. Unset: all. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** The part of package-lock.json that matters here. */
export interface LockFile {
  /** By folder; '' is the repository itself. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/**
 * How the names of packages begin that may lack an integrity: binaries of development tools for other platforms, which the
 * registry that made the lock file does not carry. npm installs them there unverified.
 */
export const WITHOUT_INTEGRITY: readonly string[] = ['@biomejs/cli-', '@oxc-parser/binding-', '@rolldown/binding-'];

/**
 * One sentence for each entry that npm could not verify, because it lacks a strong integrity, and for each that names the host
 * it was installed from, which not everybody can reach. Optional packages of single platforms may lack an integrity when
 * `exempt` has the beginning of their name; it is a problem when all that it names have one.
 */
export function lockFileProblems({ packages }: LockFile, exempt: readonly string[]): string[] {
  const problems: string[] = [];
  const unused = new Set(exempt);
  const again = 'delete its entry and run `npm install`';
  for (const [folder, entry] of Object.entries(packages)) {
    const { resolved = '', integrity, link = false, inBundle = false } = entry;
    if (folder === '' || link) continue;
    if (integrity === undefined) {
      const prefix = isForOnePlatform(entry) ? exempt.find((one) => nameOf(folder).startsWith(one)) : undefined;
      if (prefix !== undefined) unused.delete(prefix);
      else if (!inBundle) problems.push(`${folder} has no integrity: ${again}.`);
    } else if (!integrity.startsWith('sha512-')) {
      problems.push(`${folder} has the weak integrity ${integrity}: ${again}.`);
    }
    const host = /^[a-z+]+:\/\/([^/]+)/.exec(resolved)?.[1];
    if (host !== undefined) {
      problems.push(
        `${folder} names the host ${host}: install with omit-lockfile-registry-resolved=true, as .npmrc says.`,
      );
    }
  }
  for (const prefix of unused) {
    problems.push(`Every ${prefix}… has an integrity: remove it from the list of those that lack one.`);
  }
  return problems;
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function isForOnePlatform({ optional = false, os, cpu }: LockedPackage): boolean {
  return optional && (os !== undefined || cpu !== undefined);
}
