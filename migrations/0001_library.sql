CREATE TABLE "media" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"content_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "media_user_id_session_id_kind_pk" PRIMARY KEY("user_id","session_id","kind")
);
--> statement-breakpoint
CREATE TABLE "session_days" (
	"user_id" text NOT NULL,
	"day" date NOT NULL,
	"type" text NOT NULL,
	"platform" text NOT NULL,
	"sessions" integer NOT NULL,
	"seconds" numeric NOT NULL,
	CONSTRAINT "session_days_user_id_day_type_platform_pk" PRIMARY KEY("user_id","day","type","platform")
);
--> statement-breakpoint
CREATE TABLE "session_tags" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"tag" text NOT NULL,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"type" text NOT NULL,
	CONSTRAINT "session_tags_user_id_session_id_tag_pk" PRIMARY KEY("user_id","session_id","tag")
);
--> statement-breakpoint
DROP INDEX "folder_sessions_by_folder";--> statement-breakpoint
ALTER TABLE "folder_sessions" ADD COLUMN "sort_at" timestamp(6) with time zone, ADD COLUMN "type" text;--> statement-breakpoint
UPDATE "folder_sessions" f SET "sort_at" = s."sort_at", "type" = s."type"
FROM "sessions" s WHERE s."user_id" = f."user_id" AND s."session_id" = f."session_id";--> statement-breakpoint
ALTER TABLE "folder_sessions" ALTER COLUMN "sort_at" SET NOT NULL, ALTER COLUMN "type" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "folders" ADD COLUMN "session_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "media" ADD CONSTRAINT "media_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_days" ADD CONSTRAINT "session_days_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_tags" ADD CONSTRAINT "session_tags_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "session_tags_listed" ON "session_tags" USING btree ("user_id","tag","sort_at","type","session_id");--> statement-breakpoint
CREATE INDEX "folder_sessions_listed" ON "folder_sessions" USING btree ("user_id","folder_id","sort_at","type","session_id");--> statement-breakpoint
UPDATE "folders" f SET "session_count" = (
	SELECT count(*) FROM "folder_sessions" m JOIN "sessions" s ON s."user_id" = m."user_id" AND s."session_id" = m."session_id"
	WHERE m."user_id" = f."user_id" AND m."folder_id" = f."folder_id" AND s."state" = 'completed'
);--> statement-breakpoint
INSERT INTO "session_tags" ("user_id", "session_id", "tag", "sort_at", "type")
SELECT DISTINCT "user_id", "session_id", unnest("tags"), "sort_at", "type" FROM "sessions";--> statement-breakpoint
INSERT INTO "session_days" ("user_id", "day", "type", "platform", "sessions", "seconds")
SELECT "user_id", ("sort_at" AT TIME ZONE 'UTC')::date, "type", coalesce("platform", 'unknown'), count(*), sum("duration_seconds"::numeric)
FROM "sessions" WHERE "state" = 'completed' GROUP BY 1, 2, 3, 4;
