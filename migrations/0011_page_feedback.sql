-- Readers' ratings of pages: the newest one of each voter. `voter` is a keyed hash that differs for each page.
CREATE TABLE page_feedback (
  id INTEGER PRIMARY KEY NOT NULL,
  site TEXT NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  voter TEXT NOT NULL,
  rating TEXT NOT NULL,
  rated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX page_feedback_of_voter ON page_feedback (site, space, page, voter);
CREATE INDEX page_feedback_of_site ON page_feedback (site, rated_at);
CREATE INDEX page_feedback_by_age ON page_feedback (rated_at);

-- The numbers of ratings of a page, maintained by triggers.
CREATE TABLE page_feedback_counts (
  site TEXT NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL,
  good INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  bad INTEGER NOT NULL,
  rated_at INTEGER NOT NULL,
  PRIMARY KEY (site, space, page)
) WITHOUT ROWID;
CREATE INDEX page_feedback_counts_worst ON page_feedback_counts (site, bad, space, page);
CREATE TRIGGER page_feedback_given AFTER INSERT ON page_feedback BEGIN
  INSERT INTO page_feedback_counts (site, space, page, good, ok, bad, rated_at)
    VALUES (NEW.site, NEW.space, NEW.page, NEW.rating = 'good', NEW.rating = 'ok', NEW.rating = 'bad', NEW.rated_at)
    ON CONFLICT (site, space, page) DO UPDATE SET good = good + excluded.good, ok = ok + excluded.ok,
      bad = bad + excluded.bad, rated_at = excluded.rated_at;
END;
CREATE TRIGGER page_feedback_changed AFTER UPDATE OF rating, rated_at ON page_feedback BEGIN
  UPDATE page_feedback_counts SET good = good + (NEW.rating = 'good') - (OLD.rating = 'good'),
      ok = ok + (NEW.rating = 'ok') - (OLD.rating = 'ok'), bad = bad + (NEW.rating = 'bad') - (OLD.rating = 'bad'),
      rated_at = NEW.rated_at
    WHERE site = NEW.site AND space = NEW.space AND page = NEW.page;
END;
CREATE TRIGGER page_feedback_deleted AFTER DELETE ON page_feedback BEGIN
  UPDATE page_feedback_counts SET good = good - (OLD.rating = 'good'), ok = ok - (OLD.rating = 'ok'),
      bad = bad - (OLD.rating = 'bad')
    WHERE site = OLD.site AND space = OLD.space AND page = OLD.page;
  DELETE FROM page_feedback_counts
    WHERE site = OLD.site AND space = OLD.space AND page = OLD.page AND good + ok + bad = 0;
END;
