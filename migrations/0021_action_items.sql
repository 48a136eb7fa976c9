CREATE TABLE "action_items" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"item_id" text NOT NULL,
	"completed" boolean NOT NULL,
	"due_on" date NOT NULL,
	"assignee_key" text,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "action_items_user_id_session_id_item_id_pk" PRIMARY KEY("user_id","session_id","item_id")
);
--> statement-breakpoint
ALTER TABLE "action_items" ADD CONSTRAINT "action_items_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "action_items_by_id" ON "action_items" USING btree ("user_id","item_id");--> statement-breakpoint
CREATE INDEX "action_items_listed" ON "action_items" USING btree ("user_id","completed","due_on","item_id","session_id");--> statement-breakpoint
CREATE INDEX "action_items_by_assignee" ON "action_items" USING btree ("user_id","assignee_key","completed","due_on","item_id");--> statement-breakpoint
CREATE INDEX "action_items_updated" ON "action_items" USING btree ("user_id","updated_at");