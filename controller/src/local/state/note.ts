/** What a note is about: what is done, what has recovered, or what is wrong. */
export type NoteKind = 'step' | 'good' | 'trouble';

/** Takes a note for people; without a kind it reports a problem. */
export type OnNote = (text: string, kind?: NoteKind) => void;
