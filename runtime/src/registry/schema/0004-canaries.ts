/** A further version of an instance that takes a share of its new work while it is tried. */
export const canaries = {
  id: 4,
  name: 'canaries',
  sql: `
CREATE TABLE registry.canaries (
  instance_id text COLLATE "C" PRIMARY KEY REFERENCES registry.instances,
  version_id text COLLATE "C" NOT NULL REFERENCES registry.versions,
  percent integer NOT NULL CHECK (percent BETWEEN 1 AND 99)
);`,
} as const;
