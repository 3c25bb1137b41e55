-- Texts whose expressions may depend on claims of the visitor. Pages of a site are cached by the claims that its
-- content asks for.
CREATE INDEX documents_asking ON documents (hash) WHERE instr(markdown, 'visitor') > 0;
