/** A replica that is retired keeps its record until its host has ended, and gets no lease again. */
export const retiringReplicas = {
  id: 3,
  name: 'retiring',
  sql: `ALTER TABLE registry.replicas ADD COLUMN retiring boolean NOT NULL DEFAULT false;`,
} as const;
