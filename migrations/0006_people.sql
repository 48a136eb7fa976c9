CREATE TABLE "people" (
	"user_id" text NOT NULL,
	"person_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text,
	"is_me" boolean NOT NULL,
	"saved" boolean NOT NULL,
	"recording_count" integer NOT NULL,
	"last_heard_at" timestamp(6) with time zone,
	"merged_into" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "people_user_id_person_id_pk" PRIMARY KEY("user_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "session_people" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"person_id" text NOT NULL,
	"sort_at" timestamp(6) with time zone NOT NULL,
	"type" text NOT NULL,
	"talk_seconds" double precision NOT NULL,
	"name_in_session" text NOT NULL,
	"matched_by" text NOT NULL,
	"top_lines" text[] NOT NULL,
	CONSTRAINT "session_people_user_id_session_id_person_id_pk" PRIMARY KEY("user_id","session_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_merged_fk" FOREIGN KEY ("user_id","merged_into") REFERENCES "public"."people"("user_id","person_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_people" ADD CONSTRAINT "session_people_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_people" ADD CONSTRAINT "session_people_person_fk" FOREIGN KEY ("user_id","person_id") REFERENCES "public"."people"("user_id","person_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "people_name_key" ON "people" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "people_me" ON "people" USING btree ("user_id") WHERE is_me;--> statement-breakpoint
CREATE INDEX "session_people_listed" ON "session_people" USING btree ("user_id","person_id","sort_at","type","session_id");